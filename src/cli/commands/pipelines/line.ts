import { printable } from '../../printable.ts'

export type Line = { readonly at: string; readonly level: string; readonly text: string }

export function lineOf({ at, level, text }: Line): string {
  return `${at} ${level.padEnd(5)} ${printable(text)}`
}
