const ISO_TIME = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d{1,9})?Z/g

/** Shortens the ISO times in a text to the minute, without blanks to break at: `2026-11-18 13:05 UTC`. */
export function shortTimes(text: string): string {
  return text.replace(ISO_TIME, '$1\u00a0$2\u00a0UTC')
}
