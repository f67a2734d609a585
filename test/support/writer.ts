import process from "node:process";
import { editThreadFile } from "../../src/core/thread_file.ts";
import { changeConfig } from "../../src/io/config.ts";
import { openStore } from "../../src/io/store.ts";

// Appends numbered lines to the thread `shared` and counts in config.json, all under the lock; prints each number once it
// is on disk. Without a limit it goes on until it is killed.
const [top = "", name = "", times = "Infinity"] = process.argv.slice(2);
const store = openStore(top, () => new Date());
const [project] = store.readProjects().projects;
const id = "shared" as Parameters<typeof store.readThreadFile>[1];

for (let number = 0; number < Number(times); number++) {
  if (project === undefined) throw new Error("no project");
  await store.change(async (writer) => {
    const file = await store.readThreadFile(project.id, id);
    writer.putThread(project.id, id, editThreadFile(file, { body: `${file.body.trimEnd()}\n- ${name} ${number}\n` }));
    changeConfig(store.layout, writer, { start: { project: project.id, branch: name, thread: `t${number}` } });
  });
  process.stdout.write(`${number}\n`);
}
