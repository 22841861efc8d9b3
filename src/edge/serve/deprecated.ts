import { deprecationHeaders } from '#contract/core/deprecation.ts'
import type { Operation } from '#contract/core/operation.ts'

/** Adds to each answer of a deprecated operation, refusals too, since when it is and when it may be gone. */
export function withDeprecation<A extends unknown[]>(
  { name, deprecated }: Operation,
  handle: (...args: A) => Promise<Response>,
): (...args: A) => Promise<Response> {
  if (!deprecated) return handle
  const added = Object.entries(deprecationHeaders(name, deprecated))
  return async (...args) => {
    const response = await handle(...args)
    // A copy, because headers of an answer that came over the network cannot be changed.
    const announced = new Response(response.body, response)
    for (const [header, value] of added) announced.headers.append(header, value)
    return announced
  }
}
