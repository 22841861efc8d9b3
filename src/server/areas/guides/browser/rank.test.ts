import { createContext, runInContext } from 'node:vm'
import { beforeAll, describe, expect, it } from 'vitest'
import { SERVED } from '../site/form.ts'
import { makeSite } from '../site/make-site.ts'

type Section = [id: string, heading: string, text: string]
type Page = { address: string; title: string; kind: string; sections: Section[] }
type FindSections = (pages: readonly Page[], search: string) => { address: string; id: string }[]
type Context = { svcGuides: Page[]; svcSearch: { findSections: FindSections } }

const ROOT = new URL('../../../../../', import.meta.url).pathname

describe('OP-11 the search of the guides', () => {
  let pages: readonly Page[]
  let findSections: FindSections
  beforeAll(async () => {
    const site = await makeSite(ROOT, SERVED, '1.2.3')
    // The script as a browser gets it, in a page that is still empty.
    const page = { currentScript: { dataset: {} }, documentElement: { dataset: {} }, addEventListener() {} }
    const context = createContext({ document: page }) as Context
    for (const file of ['search-index.js', 'guides.js']) runInContext(site.get(file)!, context)
    pages = context.svcGuides
    findSections = context.svcSearch.findSections
  })

  const first = (search: string, of: readonly Page[] = pages) => {
    const [hit] = findSections(of, search)
    return hit && `${hit.address.replace('/guides/', '')}#${hit.id}`
  }

  it.each([
    ['port in use', 'running#change-the-port'],
    ['change port', 'running#change-the-port'],
    ['oauth', 'connect-an-agent#try-oauth-with-curl'],
    ['existing postgres', 'running#on-postgres-in-one-process'],
    ['how do I connect an agent?', 'connect-an-agent#connect-an-agent'],
    ['connect claude code', 'connect-an-agent#supported-agents'],
    ['invite a colleague', 'readme#try-it'],
    ['sign in', 'auth#self-hosted-sign-in'],
    ['roles', 'auth#people-and-roles'],
    ['api token', 'auth#api-tokens'],
    ['identity provider', 'auth#another-provider'],
    ['mail server', 'notifications#without-a-mail-server'],
    ['install client', 'cli#install'],
    ['create database', 'data-sources#1-a-database'],
    ['deploy app', 'apps#deploys'],
    ['svc apps deploy', 'cli#svc-apps-deploy'],
    ['logs', 'apps#logs'],
    ['start over', 'readme#start-it'],
    ['stop the server', 'running#stopping'],
    ['restore', 'operations#restore'],
    ['kubernetes', 'kubernetes#running-svc-in-kubernetes'],
    ['delete organization', 'leaving#delete-an-organization'],
    ['mcp', 'connect-an-agent#connect-an-agent'],
  ])('%j leads to %s first', (search, answer) => {
    expect(first(search)).toBe(answer)
  })

  const page = (name: string, kind: string, heading: string, text = ''): Page => ({
    address: name,
    title: 'Page',
    kind,
    sections: [
      ['top', 'Page', ''],
      ['here', heading, text],
    ],
  })

  it.each<[string, string, Page[], string | undefined]>([
    [
      'a guide goes before a reference, and that before a record',
      'ports',
      ['record', 'reference', 'guide'].map((kind) => page(kind, kind, 'Port')),
      'guide#here',
    ],
    [
      'a text in a guide goes before the heading of a record',
      'port',
      [page('a', 'record', 'Port'), page('b', 'guide', 'Other', 'a port')],
      'b#here',
    ],
    [
      'a heading goes before a text',
      'port',
      [page('a', 'guide', 'Other', 'port port port port'), page('b', 'guide', 'The port')],
      'b#here',
    ],
    [
      'a word begins where the searched one does',
      'port',
      [page('a', 'guide', 'Report, support'), page('b', 'guide', 'Other', 'port')],
      'b#here',
    ],
    [
      'a whole word goes before a longer one',
      'port',
      [page('a', 'guide', 'Portable'), page('b', 'guide', 'Ports')],
      'b#here',
    ],
    ['a word that is still typed is found', 'porta', [page('a', 'guide', 'Portable')], 'a#here'],
    [
      'words in their order go before the same words apart',
      'change port',
      [page('a', 'guide', 'Other', 'port of a change'), page('b', 'guide', 'Other', 'change the port')],
      'b#here',
    ],
    [
      'a section with all words goes before one with some',
      'change port',
      [page('a', 'guide', 'Port'), page('b', 'record', 'Other', 'port: no change')],
      'b#here',
    ],
    ['where none has all words, some are enough', 'forgotten port', [page('a', 'guide', 'Port')], 'a#here'],
    ['signs are letters, and no pattern', 'a.b (c', [page('a', 'guide', 'axb', 'a.b (c)')], 'a#here'],
    [
      'a variable is one word',
      'SVC_DATA_DIR',
      [page('a', 'guide', 'Data'), page('b', 'guide', 'x', 'SVC_DATA_DIR')],
      'b#here',
    ],
    ['nothing is found for another word', 'zebra', [page('a', 'guide', 'Port')], undefined],
  ])('%s', (_, search, of, answer) => {
    expect(first(search, of)).toBe(answer)
  })
})
