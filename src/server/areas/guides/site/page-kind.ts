/** Purpose of a page, by which the search weighs it: guides say how, references what, and records why it became so. */
export type PageKind = 'guide' | 'reference' | 'record'

const RECORDS = /^(?:changelog$|decisions(?:$|-))/
const REFERENCES = ['cli', 'promises', 'scale', 'security', 'threat-model']

/** `name` is the last part of the address of the page. */
export function kindOf(name: string): PageKind {
  if (RECORDS.test(name)) return 'record'
  return REFERENCES.includes(name) ? 'reference' : 'guide'
}
