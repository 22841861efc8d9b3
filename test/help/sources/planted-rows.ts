import { createWordModel, makeText, type WordModel } from './word-model.ts'

export const PLANTED_DIMENSIONS = 384
export const MODEL_OF_TABLE: WordModel = createWordModel(1, PLANTED_DIMENSIONS)
const OTHER_MODEL = createWordModel(2, PLANTED_DIMENSIONS)

export type PlantedRow = { readonly title: string; readonly body: string; readonly vector: Float32Array | null }

/** Faults of rows, by the number of the row in its hundred: one in a hundred rows has each. */
const FAULTS: Readonly<Record<number, (row: PlantedRow, other: PlantedRow) => PlantedRow>> = {
  11: (row) => ({ ...row, vector: null }),
  22: (row) => ({ ...row, vector: row.vector!.slice(0, 100) }),
  33: (row) => ({ ...row, vector: row.vector!.map(() => 0) }),
  44: (row) => ({ ...row, vector: row.vector!.map(() => 0.25) }),
  55: (row, other) => ({ ...row, vector: other.vector }),
  66: (row) => ({ ...row, vector: row.vector!.map((number) => 7.3 * number) }),
  77: (row) => ({ ...row, vector: OTHER_MODEL(textOf(row)) }),
  88: (row, other) => ({ ...row, vector: MODEL_OF_TABLE(`${textOf(other)} ${textOf(row).slice(0, 20)}`) }),
}

function textOf({ title, body }: Pick<PlantedRow, 'title' | 'body'>): string {
  return `${title} ${body}`
}

function makeRow(random: () => number): PlantedRow {
  const texts = { title: makeText(4, random), body: makeText(10, random) }
  return { ...texts, vector: MODEL_OF_TABLE(textOf(texts)) }
}

/** Normalised vectors of their own texts. */
export function normalisedRows(count: number, random: () => number): PlantedRow[] {
  return Array.from({ length: count }, () => makeRow(random))
}

/** One row in a hundred has each fault. */
export function faultyRows(count: number, random: () => number): PlantedRow[] {
  const rows = normalisedRows(count, random)
  return rows.map((row, i) => FAULTS[i % 100]?.(row, rows[i + 1] ?? rows[0]!) ?? row)
}

/** Vectors of many lengths, some of them near 1. */
export function rawRows(count: number, random: () => number): PlantedRow[] {
  return normalisedRows(count, random).map((row) => {
    const length = 2 ** (4 * random() - 2)
    return { ...row, vector: row.vector!.map((number) => length * number) }
  })
}

/** Few subjects with many rows that are almost or quite the same, as in a list of products or of log lines. */
export function repetitiveRows(count: number, random: () => number): PlantedRow[] {
  const subjects = normalisedRows(Math.max(4, Math.floor(count / 40)), random)
  return Array.from({ length: count }, () => {
    const { title, body } = subjects[Math.floor(random() ** 2 * subjects.length)]!
    const changed = random() < 0.5 ? body : `${body} w${Math.floor(random() * 2_000)}`
    return { title, body: changed, vector: MODEL_OF_TABLE(textOf({ title, body: changed })) }
  })
}
