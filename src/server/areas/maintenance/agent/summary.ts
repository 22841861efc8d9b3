import { INVISIBLE_CHARACTER } from '#contract/core/show-invisible.ts'
import type { Redactor } from '#lib/redact/redact.ts'

const MAX_CHARACTERS = 2_000

/** Cleans what a model wrote for people: no secrets, no links, no characters that are not seen. */
export async function cleanSummary(redactor: Redactor, summary: string): Promise<string> {
  const plain = withoutInvisible(summary).replaceAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/\S{1,500}/gi, '[link]')
  return (await redactor.text(plain)).trim().slice(0, MAX_CHARACTERS).toWellFormed()
}

/** Whether a reader of a summary sees anything of it. */
export function isVisible(summary: string): boolean {
  return withoutInvisible(summary) !== ''
}

function withoutInvisible(summary: string): string {
  return summary
    .slice(0, 2 * MAX_CHARACTERS)
    .replaceAll(INVISIBLE_CHARACTER, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
