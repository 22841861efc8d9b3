const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** Writes a number of bytes for people: `16.4 KB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1000)), UNITS.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
