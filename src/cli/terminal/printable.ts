import { showInvisible } from '#contract/core/show-invisible.ts'

/** Characters that change the reading direction of the text after them. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Makes foreign text safe to print on one line: no control characters, line breaks or changes of reading direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(DIRECTION, '')
}

/** Makes foreign text of several lines safe to print. Keeps its line breaks and tabs. */
export function printableLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(printable).join('\t'))
    .join('\n')
}

/**
 * Shows a unified diff with codes for what a reader would not see. The sign before a line is no part of it: otherwise a
 * tab behind the sign of a line that stays would be a tab behind a blank.
 */
export function visiblePatch(patch: string): string {
  return patch
    .split('\n')
    .map((row) => (/^[ +-]/.test(row) ? row.charAt(0) + showInvisible(row.slice(1)) : showInvisible(row)))
    .join('\n')
}
