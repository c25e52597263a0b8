/** `1 run`, `1,200 runs`. */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function numberText(count: number): string {
  return count.toLocaleString("en-US");
}

export function durationText(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  if (ms < 9995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${twoDigits(seconds % 60)}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 6000) return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
  return `${numberText(Math.round(minutes / 1440))} d`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 9_950_000 ? 1 : 0)} MB`;
}

/** `1,234`, `56k`, `7.8M`. */
export function shortNumber(count: number): string {
  if (count < 10_000) return numberText(Math.round(count));
  if (count < 999_500) return `${(count / 1000).toFixed(0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export function costText(dollars: number): string {
  return `$${dollars.toFixed(dollars >= 1 ? 2 : 4)}`;
}

/** `2026-01-05 10:00:00`, in local time. */
export function timeText(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "?";
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":")}`;
}

/** `01-05 10:00`; of another year `2026-01-05`. */
export function shortTime(at: number, now: number): string {
  const text = timeText(at);
  return text.slice(0, 4) === timeText(now).slice(0, 4) ? text.slice(5, 16) : text.slice(0, 10);
}

/** `97 % (91–99)`: a share and its interval. */
export function rateText({ rate, low, high }: Rate): string {
  return `${percent(rate)} % (${percent(low)}–${percent(high)})`;
}

interface Rate {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

function percent(share: number): string {
  return (share * 100).toFixed(0);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
