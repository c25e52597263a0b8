/** The first of several names, and how many more there are: `a, b and 3 more`. */
export function listed(names: readonly string[], most = 8): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
