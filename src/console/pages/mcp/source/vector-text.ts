import type { SourceVectors } from '#contract/data-sources/vectors.ts'

type Looked = Pick<SourceVectors, 'state' | 'looked_at' | 'reason'>

/** Returns when the vectors were last looked at, or why not. */
export function vectorText({ state, looked_at, reason }: Looked): string {
  const because = reason === null ? '' : ` Last time: ${reason}.`
  switch (state) {
    case 'not_looked_at':
      return `Not looked at yet: the first look is at night.${because}`
    case 'clean':
      return `Clean as of ${looked_at!.slice(0, 10)}.${because}`
    case 'findings':
      return `Faults were found, last looked at on ${looked_at!.slice(0, 10)}.${because}`
    case 'not_possible':
      return `Cannot be looked at: ${reason}.`
    default:
      throw state satisfies never
  }
}

/** A share of rows as a percentage of two digits. */
export function asPercent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`
}
