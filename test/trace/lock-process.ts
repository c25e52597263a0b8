// Holds the write lock of a database until it is ended or its input closes.
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2] ?? "", { timeout: 5000 });
database.exec("begin immediate");
console.log("locked");
process.stdin.on("end", () => process.exit(0)).resume();
