import { VERSION_HEADER } from '#contract/core/version-header.ts'
import type { ServiceFetch } from '../route/route.ts'

/** Adds the version of the instance to answers for the command-line client, which warns if its own is another. */
export function withVersion(version: string, serve: ServiceFetch): ServiceFetch {
  return (request, info) => (info.via === 'cli' ? versioned(version, serve(request, info)) : serve(request, info))
}

async function versioned(version: string, answering: Response | Promise<Response>): Promise<Response> {
  const response = await answering
  // A copy, because headers of an answer that came over the network cannot be changed.
  const copy = new Response(response.body, response)
  copy.headers.set(VERSION_HEADER, version)
  return copy
}
