/** The most that one night may cost for one entry, whatever the size of its table. */
export const BUDGET = {
  /** Rows that Postgres looks at. Their vectors have at most `LOOKED_NUMBERS` numbers, which are 32 MB. */
  lookedRows: 10_000,
  lookedNumbers: 8_000_000,
  /** Vectors that are read out of the database, with at most so many numbers. */
  readVectors: 400,
  readNumbers: 400_000,
  /** Rows whose text is read and embedded again. */
  embeddedHere: 200,
  embeddedOutside: 100,
  /** Characters of each text column that are read. */
  characters: 4_000,
  /** Time of the model. A statement has the limit of questions, 10 seconds. */
  embeddingMs: 60_000,
  /** Entries of a source are looked at for this time together; the rest has its turn in the next night. */
  sourceMs: 120_000,
} as const

type Budget = { readonly lookedRows: number; readonly readVectors: number }

/** Wide vectors leave fewer rows. */
export function budgetOf(dimensions: number): Budget {
  return {
    lookedRows: Math.min(BUDGET.lookedRows, Math.floor(BUDGET.lookedNumbers / dimensions)),
    readVectors: Math.min(BUDGET.readVectors, Math.floor(BUDGET.readNumbers / dimensions)),
  }
}
