import type { PersonSource } from './person-source.ts'
import { ASKERS, type Doc, makeQuestion } from './person-world.ts'

/** With subqueries, as the guide recommends: a setting is then read once for a statement, and not for every row. */
const FOR_OWNERS = `create policy own on public.docs using (owner = (select current_setting('app.email', true)))`
const FOR_ALL = `${FOR_OWNERS};
  create policy roles on public.docs using ((select current_setting('app.role', true)) = 'owner')`

/**
 * Times questions one after the other: of a person who sees all rows beside the same question to a table without
 * policies, and of one who sees few beside the same question with a filter.
 */
export async function costRatios(source: PersonSource, docs: readonly Doc[], timed: number, random: () => number) {
  const [few, all] = [ASKERS[3]!, ASKERS.at(-1)!]
  const questionOf = () => ({ vector: makeQuestion(docs, random), limit: 10 })
  const owned = { column: 'owner', operator: 'equals', values: [few.email] } as const
  await source.setPolicy({ sql: FOR_ALL })
  const all_rows = await ratioOf(timed, () => {
    const question = { ...questionOf(), filters: [] }
    return [() => source.ask(question, all), () => source.askPlain(question)]
  })
  await source.setPolicy({ sql: FOR_OWNERS })
  const own_rows = await ratioOf(timed, () => {
    const question = questionOf()
    return [
      () => source.ask({ ...question, filters: [] }, few),
      () => source.askPlain({ ...question, filters: [owned] }),
    ]
  })
  return { all_rows, own_rows }
}

type Pair = readonly [byPerson: () => Promise<unknown>, without: () => Promise<unknown>]

async function ratioOf(timed: number, makePair: () => Pair): Promise<number> {
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < timed; n++) {
    for (const [kind, ask] of makePair().entries()) {
      const started = performance.now()
      await ask()
      times[kind]!.push(performance.now() - started)
    }
  }
  return Number((fastOf(times[0]) / fastOf(times[1])).toFixed(3))
}

/** The tenth percentile, because other work on the machine makes single questions slower. */
function fastOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)]!
}
