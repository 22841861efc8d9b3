import { notFound } from '#contract/core/errors.ts'
import { guideFile, guideIndex } from '#contract/guides.ts'
import { prefersHtml } from '#edge/format/negotiate.ts'
import { type Context, type Route, route } from '#edge/route/route.ts'
import { type Answers, createAnswers } from './answer.ts'
import { INDEX_FILE, NOT_FOUND_FILE, SERVED } from './site/form.ts'
import { withOwnAddress } from './site/own-address.ts'
import { readSite } from './site/read-site.ts'

type Deps = {
  folder: string
  /** Whether the folder holds the rendered pages of a release, or the checkout. */
  built: boolean
  version: string
  /** Address that people see, which is known once the server listens. */
  baseUrl: () => string
}

/** Publishes the guides. They are read or rendered at the first request and then cached, because a version's do not change. */
export function createGuides(deps: Deps): { readonly routes: readonly Route[] } {
  let answers: Promise<Answers> | undefined
  const serve = async (file: string, { request }: Context<null>) => {
    answers ??= siteOf(deps).then((site) => createAnswers(withOwnAddress(site, deps.baseUrl())))
    const answer = await answers
    const found = answer(file, request, 200)
    if (found) return found
    const page = prefersHtml(request.headers.get('accept')) && answer(NOT_FOUND_FILE, request, 404)
    if (!page) throw notFound()
    return page
  }
  const routes = [
    route(guideIndex, (_, context) => serve(INDEX_FILE, context)),
    route(guideFile, ({ file }, context) => serve(fileOf(file), context)),
  ]
  return { routes }
}

async function siteOf({ folder, built, version }: Deps) {
  if (built) return readSite(folder)
  const { makeSite } = await import('./site/make-site.ts')
  return makeSite(folder, SERVED, version)
}

/** Pages have no extension in their address; names of guides begin with a letter. */
function fileOf(name: string): string {
  if (/\.(?:css|js)$/.test(name)) return name
  return /^[a-z][a-z-]*$/.test(name) ? `${name}.html` : ''
}
