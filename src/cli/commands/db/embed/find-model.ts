import { listModels } from '#contract/ai.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { suggest } from '#contract/core/suggest.ts'
import { HintedError } from '../../../command/hinted-error.ts'
import type { FoundTable } from './find-table.ts'

/** Checks that the model exists, makes vectors, and makes them of the size of the column. */
export async function checkModel(client: Client, model: string, table: FoundTable): Promise<void> {
  const dimensions = await findDimensions(client, model)
  if (dimensions !== null) checkSize(dimensions, model, table)
}

/** Returns null if only the provider knows how large the vectors are. Throws if there is no such model for vectors. */
export async function findDimensions(client: Client, model: string): Promise<number | null> {
  const { data } = await client.call(listModels, {})
  const names = data.filter(({ capabilities }) => capabilities.includes('embeddings')).map(({ id }) => id)
  const found = data.find(({ id }) => id === model)
  if (!found || !names.includes(model)) {
    const fault = found ? `The model ${model} makes no vectors.` : `No such model: ${model}.`
    const near = suggest(model, names)
    const choice = near === undefined ? `Models: ${names.join(', ')}.` : `Did you mean ${near}?`
    throw new ServiceError(found ? 'INVALID_REQUEST' : 'NOT_FOUND', `${fault} ${choice}`)
  }
  return found.dimensions
}

/** Also called with the first vector, because only some models say their size beforehand. */
export function checkSize(size: number, model: string, { dimensions, column, shown }: FoundTable): void {
  if (dimensions === undefined || dimensions === size) return
  throw new HintedError(
    'INVALID_REQUEST',
    `${model} makes vectors of ${size} dimensions, and the column ${column} of ${shown} takes ${dimensions}.`,
    `Choose a model with ${dimensions} dimensions, or make a column of the type vector(${size}).`,
  )
}
