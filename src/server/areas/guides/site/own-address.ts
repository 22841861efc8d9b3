/** How the guides write the address of the instance: that of a first start with the default settings. */
const WRITTEN_ADDRESS = 'http://127.0.0.1:8080'

/** Pages about how an address is chosen, which proxies and settings need as it is written. */
const LITERAL_PAGES = ['running.html']

/** Puts the address of this instance into the pages in place of the written one. Pages about addresses keep theirs. */
export function withOwnAddress(site: ReadonlyMap<string, string>, baseUrl: string): ReadonlyMap<string, string> {
  return new Map(
    [...site].map(([file, text]) => [
      file,
      LITERAL_PAGES.includes(file) || !file.endsWith('.html') ? text : text.replaceAll(WRITTEN_ADDRESS, baseUrl),
    ]),
  )
}
