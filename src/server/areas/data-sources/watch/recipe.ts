import { z } from 'zod'

/** How the text of a vector is joined from columns. */
export const Recipe = z.object({
  columns: z.array(z.string()).min(1),
  separator: z.string(),
  reach: z
    .enum(['all', 'long'])
    .describe('`long`: only rows of long text showed it, so nothing is known of short ones'),
})
export type Recipe = z.infer<typeof Recipe>

/** Columns and what stands between them. */
export type Joining = { readonly columns: readonly string[]; readonly separator: string }

/** The texts of a row by column. */
export type RowTexts = Readonly<Record<string, string | null>>

/** Texts up to this length reach no model's limit, so that every column in them changes the vector. */
const SHORT_CHARACTERS = 600
const SEPARATORS = [' ', '\n', '\n\n', ': ', '. ', ', '] as const
const MAX_CANDIDATES = 48
/** All subsets of more columns would be too many. */
const MAX_SUBSET_COLUMNS = 4

/** Joins as `svc db embed` does: empty values leave no separator. */
export function joinTexts({ columns, separator }: Joining, row: RowTexts): string {
  return columns
    .map((column) => row[column] ?? '')
    .filter((text) => text !== '')
    .join(separator)
}

export function isShort(row: RowTexts): boolean {
  return Object.values(row).reduce((sum, text) => sum + (text?.length ?? 0), 0) <= SHORT_CHARACTERS
}

/** The ways in which people usually join columns, likeliest first. */
export function candidateRecipes(columns: readonly string[]): Joining[] {
  const subsets = columnSubsets(columns).toSorted((a, b) => b.length - a.length)
  const alone = subsets.filter(({ length }) => length === 1).map((subset) => ({ columns: subset, separator: ' ' }))
  const joined = SEPARATORS.flatMap((separator) =>
    subsets.filter(({ length }) => length > 1).map((subset) => ({ columns: subset, separator })),
  )
  return [...alone, ...joined].slice(0, MAX_CANDIDATES)
}

function columnSubsets(columns: readonly string[]): string[][] {
  if (columns.length > MAX_SUBSET_COLUMNS) return runsOf(columns)
  const count = 2 ** columns.length
  return Array.from({ length: count - 1 }, (_, i) => columns.filter((__, place) => ((i + 1) >> place) & 1))
}

/** Each column alone, and all columns that stand beside each other. */
function runsOf(columns: readonly string[]): string[][] {
  return columns.flatMap((_, from) => columns.slice(from).map((__, more) => columns.slice(from, from + more + 1)))
}
