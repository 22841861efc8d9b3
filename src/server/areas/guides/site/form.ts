import { GUIDES_PATH } from '#contract/guides.ts'

/** How pages and files of the site link to each other. */
export type SiteForm = {
  readonly pageAddress: (name: string) => string
  readonly fileAddress: (file: string) => string
  /** Links to other parts of svc in the header. */
  readonly parts: readonly { readonly label: string; readonly href: string }[]
}

export const INDEX = 'index'
export const INDEX_FILE = 'index.html'
export const NOT_FOUND_FILE = '404.html'

/** Pages that a server answers under `/guides`. */
export const SERVED: SiteForm = {
  pageAddress: (name) => (name === INDEX ? GUIDES_PATH : `${GUIDES_PATH}/${name}`),
  fileAddress: (file) => `${GUIDES_PATH}/${file}`,
  parts: [
    { label: 'API', href: '/docs' },
    { label: 'Console', href: '/' },
  ],
}

/** Pages in a folder, which a browser opens without a server. */
export const FILES: SiteForm = {
  pageAddress: (name) => `${name}.html`,
  fileAddress: (file) => file,
  parts: [],
}
