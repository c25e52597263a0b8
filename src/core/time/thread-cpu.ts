/** CPU milliseconds of this thread; wall time where Node cannot tell it (before 23.9). */
export function threadCpuMs(): number {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
