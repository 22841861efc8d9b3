import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const NAME = 'open-console.html'

/**
 * Writes a page that only this user can read and that leads to `url`, and returns its address. Every user of a machine can
 * read the arguments of a program, so a link that signs in is given to the browser by this page and not as an argument.
 */
export async function writeLinkPage(folder: string, url: string): Promise<string> {
  const file = join(resolve(folder), NAME)
  const fresh = `${file}.${randomBytes(6).toString('hex')}`
  try {
    // A new file, because a mode does not change one that exists.
    await writeFile(fresh, pageTo(url), { mode: 0o600, flag: 'wx' })
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
  return pathToFileURL(file).href
}

function pageTo(url: string): string {
  const shown = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${shown}">
<title>svc</title>
<a href="${shown}">Open the console</a>
`
}
