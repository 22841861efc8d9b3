import { dirname } from 'node:path'
import { notFound } from '#contract/core/errors.ts'
import { skillArchive, skillEntry, skillIndex, skillReference } from '#contract/skills.ts'
import { matchesEtag } from '#edge/format/etag.ts'
import { type Context, type Route, route } from '#edge/route/route.ts'
import { makePublication, type Publication, readPublication } from './publication.ts'
import { sha256 } from './release.ts'
import { commitOf } from './source.ts'

type Deps = {
  folder: string
  /** Whether the folder holds a finished publication of a release, or the sources of the skills. */
  built: boolean
  version: string
}

/** Publishes the skills. They are read or made at the first request and then kept, because a running version's do not change. */
export function createSkills(deps: Deps): { readonly routes: readonly Route[] } {
  let publication: Promise<Publication> | undefined
  const serve = async (path: string, { request }: Context<null>) => {
    publication ??= publicationOf(deps)
    const bytes = (await publication).get(path)
    if (!bytes) throw notFound()
    return answer(path, bytes, request.headers.get('if-none-match'))
  }
  const routes = [
    route(skillIndex, (_, context) => serve('index.json', context)),
    route(skillArchive, ({ archive }, context) => serve(archive, context)),
    route(skillEntry, ({ name, file }, context) => serve(`${name}/${file}`, context)),
    route(skillReference, ({ name, file }, context) => serve(`${name}/references/${file}`, context)),
  ]
  return { routes }
}

async function publicationOf({ folder, built, version }: Deps): Promise<Publication> {
  if (built) return readPublication(folder)
  return makePublication(folder, { version, commit: await commitOf(dirname(folder)) })
}

const TYPES: Record<string, string> = {
  json: 'application/json',
  gz: 'application/gzip',
  md: 'text/markdown; charset=utf-8',
}

/** Answers with `no-transform`, because a proxy that compresses the bytes again would break their digest. */
function answer(path: string, bytes: Buffer, ifNoneMatch: string | null): Response {
  const etag = `"${sha256(bytes)}"`
  const headers = {
    etag,
    'cache-control': 'public, max-age=300, no-transform',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  }
  if (matchesEtag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers })
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)]!
  const length = String(bytes.byteLength)
  return new Response(new Uint8Array(bytes), {
    headers: { ...headers, 'content-type': type, 'content-length': length },
  })
}
