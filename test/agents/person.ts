import { readFileSync } from 'node:fs'

const MAX_PAGES = 12

/** A person at a browser, on the machine that svc runs on. */
export type Person = {
  /** Opens the address, signs in with the local code, approves, and ends on the agent's own page. Returns its text. */
  approve(address: string): Promise<string>
  /** Does the same up to the address that the agent gets the code at, and returns it unopened. */
  decide(address: string): Promise<URL>
}

export function createPerson(baseUrl: string, codeFile: string): Person {
  const cookies = new Map<string, string>()
  const go = async (url: URL, form?: URLSearchParams): Promise<Response> => {
    const isOwn = url.origin === new URL(baseUrl).origin
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      ...(form && { method: 'POST', body: form }),
      headers: isOwn ? { cookie, origin: baseUrl, 'sec-fetch-site': 'same-origin' } : {},
    })
    for (const line of isOwn ? response.headers.getSetCookie() : []) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=')
      cookies.set(name, value)
    }
    return response
  }
  const decide = async (address: string): Promise<URL> => {
    let url = new URL(address)
    let response = await go(url)
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = await response.text()
      const next = response.headers.get('location') ?? linkOf(page)
      if (next !== undefined) {
        url = new URL(next, url)
        if (url.origin !== new URL(baseUrl).origin) return url
        response = await go(url)
      } else {
        const form = fillForm(page, codeFile)
        url = new URL(/<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? url.href, url)
        response = await go(url, form)
      }
    }
    throw new Error(`still at ${url.origin}${url.pathname} after ${MAX_PAGES} pages`)
  }
  return {
    decide,
    approve: async (address) => (await fetch(await decide(address))).text(),
  }
}

/** Where a page leads on its own, or by its only link if it has no form. */
function linkOf(page: string): string | undefined {
  const refresh = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(page)?.[1]
  const local = page.includes('<form') ? undefined : /href="(\/auth\/local[^"]*)"/.exec(page)?.[1]
  return (refresh ?? local)?.replaceAll('&amp;', '&')
}

/** Takes the values that the form has, the first organization, every scope, and the code of the local sign-in. */
function fillForm(page: string, codeFile: string): URLSearchParams {
  const body = page.slice(page.indexOf('<form'))
  if (!page.includes('<form')) throw new Error(`a page without a form: ${textOf(page)}`)
  const form = new URLSearchParams()
  for (const [, name, value] of body.matchAll(/<input [^>]*name="([^"]+)" value="([^"]*)"/g))
    form.append(name!, value!.replaceAll('&amp;', '&'))
  const organization = /<option value="([^"]+)"/.exec(body)?.[1]
  if (organization !== undefined) form.set('org_id', organization)
  if (body.includes('value="approve"')) form.set('decision', 'approve')
  if (body.includes('name="code"')) form.set('code', readFileSync(codeFile, 'utf8').trim())
  return form
}

/** Text of a page without markup, for messages. */
function textOf(page: string): string {
  return page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 400)
}
