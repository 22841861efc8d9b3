import { showInvisible } from '#contract/core/show-invisible.ts'

export type Line = { readonly at: string; readonly level: string; readonly text: string }

export function lineOf({ at, level, text }: Line): string {
  return `${at} ${level.padEnd(5)} ${showInvisible(text)}`
}
