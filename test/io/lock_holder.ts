import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { withLock } from "../../src/io/lock.ts";

// Adds one to a shared counter under the lock, so many times; may kill itself right after one of the additions.
const [folder = "", times = "1", risk = "0"] = process.argv.slice(2);

for (let time = 0; time < Number(times); time++) {
  await withLock(join(folder, "lock"), async () => {
    const counter = join(folder, "counter");
    const value = Number(readFileSync(counter, "utf8"));
    await Bun.sleep(0);
    writeFileSync(counter, String(value + 1));
    if (Number(risk) > 0) appendFileSync(join(folder, "log"), ".");
    if (Math.random() < Number(risk)) process.kill(process.pid, "SIGKILL");
  });
}
