/** Texts between conflict markers, each with a line end. */
export function between(ours: string, theirs: string): string {
  const line = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  return `<<<<<<< ours\n${line(ours)}=======\n${line(theirs)}>>>>>>> theirs\n`;
}
