/** `38 ms`, `0.4 s`, `12 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationText(seconds: number): string {
  if (seconds > 0 && seconds < 0.1) return `${Math.ceil(seconds * 1000)} ms`
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return joined(`${minutes} min`, whole % 60, 's')
  return joined(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min')
}

function joined(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`
}

/** How long something took, from its begin to its end. Null while one of them is not known. */
export function tookText(begin: string | null, end: string | null): string | null {
  return begin === null || end === null ? null : durationText((Date.parse(end) - Date.parse(begin)) / 1000)
}
