import { ServiceError } from '#contract/core/errors.ts'
import type { AppSource } from '#ports/apps.ts'

/** Larger files are data or made by programs, and redacting one would hold up everybody else. */
export const MAX_TEXT_BYTES = 1024 * 1024

type Place = { readonly app_id: string; readonly revision_id: string | null }

/** Returns the text of a file of the run's revision. Refuses paths that are no key of its manifest, and what is no text. */
export async function readTextFile(source: AppSource, { app_id, revision_id }: Place, path: string): Promise<string> {
  const files = revision_id === null ? undefined : await source.files(app_id, revision_id)
  const file = files?.find((one) => one.path === path)
  if (!file) throw refused('The revision has no file of this path. Use a path exactly as the list of files has it.')
  const content = file.size <= MAX_TEXT_BYTES && (await source.read(app_id, revision_id!, path))
  const text = content ? textOf(content) : undefined
  if (text === undefined) throw refused('This file is not shown, because it is binary or larger than 1 MiB.')
  return text
}

/** Returns undefined for content that is binary or not UTF-8. */
export function textOf(content: Uint8Array): string | undefined {
  if (content.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

/** A refusal that the model can read and correct. */
export function refused(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', message)
}
