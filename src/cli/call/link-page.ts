import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { replaceFile } from '../command/replace-file.ts'

const NAME = 'open-console.html'

/**
 * Writes a page that only this user can read and that leads to `url`, and returns its address. Every user of a machine can
 * read the arguments of a program, so a link that signs in is given to the browser by this page and not as an argument.
 */
export async function writeLinkPage(folder: string, url: string): Promise<string> {
  const file = join(resolve(folder), NAME)
  await replaceFile(file, pageTo(url), 0o600)
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
