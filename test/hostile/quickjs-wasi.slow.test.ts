import { hostileSuite } from "./hostile-suite.ts";

hostileSuite("quickjs-wasi");
