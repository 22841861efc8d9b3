import packageJson from '../../../../../package.json' with { type: 'json' }
import type { Archive } from './archive.ts'

const FORMAT = 1

/** Data that an owner cannot read, or that is made of the other files. */
const NOT_INCLUDED = [
  {
    what: 'API tokens, keys, passwords, webhook secrets and values of environment variables',
    why: 'Secrets are never shown again. Make new ones elsewhere.',
  },
  { what: 'inboxes, follows and chat links of people', why: 'Only each person can read their own.' },
  {
    what: 'questions to data sources and their answers',
    why: 'They are never stored. Activity has who asked what source when.',
  },
  { what: 'statistics and overviews', why: 'They are counted from the files of this archive.' },
  { what: 'logs and runs that the server no longer keeps', why: 'They were removed after their time.' },
  { what: 'privileges and owners in the dumps of databases', why: 'Their roles are those of the installation.' },
] as const

type Organization = { readonly id: string; readonly name: string; readonly slug: string }
type About = { readonly organization: Organization; readonly exportedBy: string | null; readonly startedAt: string }

export function manifestOf({ entries, failures }: Archive, { organization, exportedBy, startedAt }: About) {
  return {
    format: FORMAT,
    svc_version: packageJson.version,
    organization,
    exported_by: exportedBy,
    started_at: startedAt,
    finished_at: new Date().toISOString(),
    files: entries,
    failed: failures,
    not_included: NOT_INCLUDED,
  }
}
