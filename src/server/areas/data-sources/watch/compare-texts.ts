import { BUDGET } from './budget.ts'
import type { EmbedTexts } from './embed-rows.ts'
import { type ComparedRow, findRecipe } from './find-recipe.ts'
import { cosine, OTHER_TEXT, SAME_TEXT } from './likeness.ts'
import { isShort, joinTexts, type Recipe } from './recipe.ts'

type Comparing = {
  readonly columns: readonly string[]
  /** Found in a former night. */
  readonly recipe: Recipe | undefined
  readonly rows: readonly ComparedRow[]
  readonly place: 'here' | 'outside'
  readonly embed: EmbedTexts
}

/** `misfits` are digests of rows whose vector is of another text. */
export type Compared = { readonly recipe: Recipe; readonly rows: number; readonly misfits: readonly string[] }

/** A recipe that gives fewer of the vectors is looked for again. */
const MIN_FIT_SHARE = 0.1
const MIN_ROWS = 8

/** Embeds the texts of rows again and compares. Returns why not if it cannot be told what the text of a row is. */
export async function compareTexts(comparing: Comparing): Promise<Compared | { notChecked: string }> {
  const { columns, place, embed } = comparing
  if (columns.length === 0) return { notChecked: 'no content column but the id has text' }
  const rows = comparing.rows.filter((row) => place === 'here' || isWhole(row))
  if (rows.length < MIN_ROWS) return { notChecked: `fewer than ${MIN_ROWS} rows with text could be compared` }
  if (comparing.recipe) {
    const compared = await compareBy(comparing.recipe, rows, embed)
    if (compared && compared.fits >= MIN_FIT_SHARE * compared.rows) return compared
  }
  const recipe = await findRecipe(columns, rows, embed)
  const compared = recipe && (await compareBy(recipe, rows, embed))
  return compared ?? { notChecked: 'the model makes other vectors of the content columns, however they are joined' }
}

/** A provider outside may read more of a text than svc reads. */
function isWhole({ texts }: ComparedRow): boolean {
  return Object.values(texts).every((text) => (text?.length ?? 0) <= BUDGET.characters)
}

async function compareBy(
  recipe: Recipe,
  rows: readonly ComparedRow[],
  embed: EmbedTexts,
): Promise<(Compared & { fits: number }) | undefined> {
  const reached = rows.filter(
    ({ texts }) => (recipe.reach === 'all' || !isShort(texts)) && joinTexts(recipe, texts) !== '',
  )
  if (reached.length === 0) return undefined
  const vectors = await embed(reached.map(({ texts }) => joinTexts(recipe, texts)))
  const likeness = reached.map(({ vector }, i) => cosine(vector, vectors[i]!))
  const misfits = reached.filter((_, i) => !(likeness[i]! >= OTHER_TEXT)).map(({ row }) => row)
  const fits = likeness.filter((each) => each >= SAME_TEXT).length
  return { recipe, rows: reached.length, misfits, fits }
}
