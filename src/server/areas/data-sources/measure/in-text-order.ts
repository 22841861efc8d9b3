import { lacksFunction } from '../search/database-errors.ts'

/** Runs a measurement, and once more with ids ordered as text if their type, such as json, has no order. */
export async function orInTextOrder<T>(measure: (ordersIdsAsText: boolean) => Promise<T>): Promise<T> {
  try {
    return await measure(false)
  } catch (error) {
    if (!lacksFunction(error)) throw error
    return measure(true)
  }
}
