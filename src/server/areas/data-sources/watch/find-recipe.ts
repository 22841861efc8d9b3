import type { EmbedTexts } from './embed-rows.ts'
import { cosine, SAME_TEXT } from './likeness.ts'
import { candidateRecipes, isShort, type Joining, joinTexts, type Recipe, type RowTexts } from './recipe.ts'

/** A row with its stored vector. */
export type ComparedRow = { readonly row: string; readonly vector: readonly number[]; readonly texts: RowTexts }

/** Rows that each candidate is tried on, of which one may be out of date. */
const TRIED_ROWS = 3
const MIN_TRIED_FITS = 2
/** Rows that a recipe is confirmed on, of which two may be out of date. */
const CONFIRMED_ROWS = 16
const MIN_CONFIRMED_ROWS = 8
const MIN_CONFIRMED_SHARE = 0.875

/** Finds which columns the stored vectors are made of, by trying the usual ways. Undefined: none of them gives them. */
export async function findRecipe(
  columns: readonly string[],
  rows: readonly ComparedRow[],
  embed: EmbedTexts,
): Promise<Recipe | undefined> {
  const short = rows.filter(({ texts }) => isShort(texts))
  const reach = short.length >= MIN_CONFIRMED_ROWS ? 'all' : 'long'
  const probes = distinct(reach === 'all' ? short : rows, columns).slice(0, CONFIRMED_ROWS)
  if (probes.length < MIN_CONFIRMED_ROWS) return undefined
  const candidates = candidateRecipes(columns)
  const fitting: typeof candidates = []
  for (const candidate of candidates) {
    const fits = await countFits(candidate, probes.slice(0, TRIED_ROWS), embed)
    if (fits >= MIN_TRIED_FITS) fitting.push(candidate)
  }
  let best: { recipe: Recipe; fits: number } | undefined
  for (const candidate of fitting) {
    const fits = await countFits(candidate, probes, embed)
    if (fits > (best?.fits ?? 0))
      best = { recipe: { columns: [...candidate.columns], separator: candidate.separator, reach }, fits }
  }
  return best && best.fits >= MIN_CONFIRMED_SHARE * probes.length ? best.recipe : undefined
}

/** Rows without their own text say nothing about a candidate. */
function distinct(rows: readonly ComparedRow[], columns: readonly string[]): ComparedRow[] {
  const byText = new Map(rows.map((row) => [joinTexts({ columns, separator: ' ' }, row.texts), row]))
  byText.delete('')
  return [...byText.values()]
}

async function countFits(candidate: Joining, rows: readonly ComparedRow[], embed: EmbedTexts): Promise<number> {
  const withText = rows.filter(({ texts }) => joinTexts(candidate, texts) !== '')
  const vectors = await embed(withText.map(({ texts }) => joinTexts(candidate, texts)))
  return withText.filter(({ vector }, i) => cosine(vector, vectors[i]!) >= SAME_TEXT).length
}
