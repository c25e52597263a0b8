// Says in plain words what would else be a puzzling error about file extensions.
const LEAST = [22, 18];
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
  console.error(
    `This needs Node ${LEAST.join(".")} or newer, and runs on ${process.versions.node}.\n` +
      'The checkout brings its own Node: run "npm ci" without --ignore-scripts, then start scripts through npm.',
  );
  process.exit(1);
}
