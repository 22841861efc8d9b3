import type { ResolvedEntry } from '../search/entry.ts'

/** More columns are rarely joined, and each is read. */
const MAX_TEXT_COLUMNS = 6

/** The content columns that a vector can have been made of: those of text but the id, otherwise an id of text. */
export function textColumns({ content }: Pick<ResolvedEntry, 'content'>): string[] {
  const texts = content.filter(({ type }) => /^(?:text|character|citext)/.test(type)).map(({ name }) => name)
  const others = texts.filter((name) => name !== content[0]!.name)
  return (others.length > 0 ? others : texts).slice(0, MAX_TEXT_COLUMNS)
}
