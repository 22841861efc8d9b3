import { seeded } from '#test/seeded.ts'
import { createBuiltin } from '../../src/server/areas/ai/builtin/builtin.ts'
import { resembles } from '../../src/server/areas/data-sources/configure/resembles.ts'
import { type Article, readArticles, embeddedText as whole } from '../../src/server/areas/example/handbook.ts'
import { assets } from '../../src/server/files/assets.ts'
import { requireFloors } from '../help/floors.ts'
import { createModels, type Model } from './models.ts'

/**
 * Does a save notice that another model filled the vectors? Five models (`models.ts`), the articles of the example, and
 * five relations between the text that was embedded and the content columns, with 64 and with 12 rows: 50 right
 * configurations and 200 wrong ones. Titles alone, the weakest content, are printed and have no floor.
 */
const SEED = 7
const MADE_ROWS = 8
type Kind = { name: string; embedded(of: Article): string; content(of: Article): string }

const KINDS: Kind[] = [
  { name: 'the same text', embedded: whole, content: whole },
  { name: 'body embedded, title and body as content', embedded: ({ body }) => body, content: whole },
  { name: 'title and body embedded, body as content', embedded: whole, content: ({ body }) => body },
  { name: 'half embedded', embedded: ({ body }) => body.slice(0, body.length / 2), content: whole },
  { name: 'other columns beside', embedded: whole, content: (of) => `${of.category}\n${whole(of)}\n${of.slug}` },
]
const TITLES: Kind = { name: 'titles as content', embedded: ({ body }) => body, content: ({ title }) => title }

await using builtin = createBuiltin()
const models = createModels(builtin)
const random = seeded(SEED)
const durations: number[] = []

const right = { alarms: 0, all: 0 }
const wrong = { alarms: 0, all: 0 }
const titles = { alarms: 0, all: 0 }
const alarmedByTitles: string[] = []
for (const kind of [...KINDS, TITLES]) {
  for (const rows of [64, 12]) {
    const articles = pick(rows)
    for (const filler of models) {
      for (const configured of models) {
        const isRight = filler === configured
        if (kind === TITLES && !isRight) continue
        const alarm = await isAlarm(kind, articles, filler, configured)
        count(kind === TITLES ? titles : isRight ? right : wrong, alarm)
        if (kind === TITLES && alarm) alarmedByTitles.push(`${filler.name} with ${rows} rows`)
      }
    }
  }
}

console.log(`five models, seed ${SEED}, ${MADE_ROWS} rows of content`)
console.log(`right configurations:               ${right.alarms} false alarms in ${right.all}`)
console.log(
  `right, but only titles are content: ${titles.alarms} false alarms in ${titles.all} (${alarmedByTitles.join('; ')})`,
)
console.log(`wrong configurations:               ${wrong.alarms} found of ${wrong.all}`)
durations.sort((a, b) => a - b)
console.log(`a comparison takes ${durations[Math.floor(durations.length / 2)]!.toFixed(1)} ms without the embedding`)
requireFloors([
  { name: 'false alarms', value: right.alarms, atMost: 0 },
  { name: 'right configurations', value: right.all, atLeast: 50 },
  { name: 'share of wrong ones found', value: wrong.alarms / wrong.all, atLeast: 1 },
])

async function isAlarm(kind: Kind, articles: readonly Article[], filler: Model, configured: Model): Promise<boolean> {
  const stored = await Promise.all(articles.map((article) => filler.embed(kind.embedded(article))))
  const sent = articles.slice(0, MADE_ROWS)
  const modelVectors = await Promise.all(sent.map((article) => configured.embed(kind.content(article))))
  const startedMs = performance.now()
  const found = resembles({ modelVectors, stored })
  durations.push(performance.now() - startedMs)
  if (!found) throw new Error('not enough rows')
  return !found.isAlike
}

function pick(rows: number): Article[] {
  const left = readArticles(assets.exampleHandbook())
  return Array.from({ length: rows }, () => left.splice(Math.floor(random() * left.length), 1)[0]!)
}

function count(figures: { alarms: number; all: number }, alarm: boolean): void {
  figures.all++
  if (alarm) figures.alarms++
}
