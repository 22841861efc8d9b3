import { z } from 'zod'
import { LONG_READS } from '../core/limits.ts'
import { jsonGet, jsonPost, rawGet, uploadPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Alias, byBuilder } from './app-access.ts'

export const MAX_REVISION_FILES = 10_000
export const MAX_FILE_BYTES = 16 * 1024 * 1024
export const MAX_REVISION_BYTES = 128 * 1024 * 1024
export const MAX_PATH_BYTES = 512
/** A tar archive has up to 1,536 bytes around each file (header and padding), or more where the path is long. */
export const MAX_ARCHIVE_BYTES = MAX_REVISION_BYTES + MAX_REVISION_FILES * 4096
/** Longer than a path may be, so that the server can name the rule that a path breaks. */
const MAX_CHECKED_PATH_LENGTH = 4_096
const MANIFEST_LIMIT = 8 * 1024 * 1024

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest in lower-case hex')

/** One file of a revision. Its path is checked by the server: relative, no `..`, valid UTF-8, not in `.git`. */
export const RevisionFile = z.object({
  path: z.string().min(1).max(MAX_CHECKED_PATH_LENGTH),
  executable: z.boolean().default(false),
  size: z.int().min(0),
  sha256: Sha256,
})
export type RevisionFile = z.infer<typeof RevisionFile>

const files = z.array(RevisionFile.strict()).max(MAX_REVISION_FILES)

export const Revision = z.object({
  id: z.string(),
  digest: z.string().describe('SHA-256 over the sorted paths, modes and contents; equal sources have equal digests'),
  file_count: z.int(),
  total_bytes: z.int(),
  message: z.string().nullable(),
  created_by: z.string().nullable().describe('Id of the user; null for a change of the maintenance agent'),
  created_at: z.iso.datetime(),
})
export type Revision = z.infer<typeof Revision>

const message = z.string().trim().max(500).nullable().default(null).describe('Says what changed')

export const findMissingFiles = operation({
  ...jsonPost,
  name: 'apps.find-missing-files',
  path: '/api/deploy/deployments/{alias}/revisions/missing',
  summary: 'Find out which files of a new revision must be uploaded',
  description: 'Answers the digests that the organization has not stored yet.',
  access: byBuilder,
  effect: 'read',
  bodyLimit: MANIFEST_LIMIT,
  errors: ['INVALID_REVISION'],
  input: z.object({ alias: Alias, files }),
  output: z.object({ missing: z.array(z.string()) }),
})

export const uploadFiles = operation({
  ...uploadPost,
  name: 'apps.upload-files',
  path: '/api/deploy/deployments/{alias}/revisions/files',
  summary: 'Upload files of a new revision',
  description:
    'A tar archive whose entries are named by the SHA-256 of their content. Files that no revision uses within a day are removed.',
  access: { ...byBuilder, support: 'refused' },
  bodyLimit: MAX_ARCHIVE_BYTES,
  errors: ['INVALID_REVISION', 'REVISION_STORE_FULL'],
  consumes: ['application/x-tar'],
  input: z.object({ alias: Alias }),
  output: z.object({ stored: z.int() }),
})

export const createRevision = operation({
  ...jsonPost,
  name: 'apps.create-revision',
  path: '/api/deploy/deployments/{alias}/revisions',
  summary: 'Create a revision of uploaded files',
  description: 'The same files again give the revision that exists.',
  access: { ...byBuilder, support: 'refused' },
  bodyLimit: MANIFEST_LIMIT,
  errors: ['INVALID_REVISION', 'REVISION_INCOMPLETE', 'REVISION_STORE_FULL'],
  status: 201,
  input: z.object({ alias: Alias, files, message }),
  output: Revision,
})

export const uploadRevision = operation({
  ...uploadPost,
  name: 'apps.upload-revision',
  path: '/api/deploy/deployments/{alias}/revisions/archive',
  summary: 'Create a revision of a tar archive',
  description:
    'For scripts without the svc command. The archive has files and folders only; links, device files, `.git` and paths that leave the folder are refused, with the entry at fault in `errors`.',
  access: { ...byBuilder, support: 'refused' },
  bodyLimit: MAX_ARCHIVE_BYTES,
  errors: ['INVALID_REVISION', 'REVISION_STORE_FULL'],
  consumes: ['application/x-tar', 'application/gzip'],
  input: z.object({ alias: Alias, message }),
  output: Revision,
})

export const listRevisions = operation({
  ...jsonGet,
  name: 'apps.list-revisions',
  path: '/api/deploy/deployments/{alias}/revisions',
  summary: 'List the revisions of an app',
  access: byBuilder,
  input: z.object({ alias: Alias, ...pageInput }),
  output: listOf(Revision),
})

const revision = { alias: Alias, revision_id: z.string().max(100) }

export const readRevision = operation({
  ...jsonGet,
  name: 'apps.read-revision',
  path: '/api/deploy/deployments/{alias}/revisions/{revision_id}',
  summary: 'Show a revision and its files',
  access: byBuilder,
  input: z.object(revision),
  output: Revision.extend({ files: z.array(RevisionFile) }),
})

export const readRevisionFile = operation({
  ...rawGet,
  name: 'apps.read-file',
  path: '/api/deploy/deployments/{alias}/revisions/{revision_id}/file',
  summary: 'Get the content of a file of a revision',
  access: byBuilder,
  input: z.object({ ...revision, path: z.string().min(1).max(MAX_PATH_BYTES) }),
  produces: ['application/octet-stream'],
})

export const downloadRevision = operation({
  ...rawGet,
  name: 'apps.download-revision',
  path: '/api/deploy/deployments/{alias}/revisions/{revision_id}/archive',
  summary: 'Get all files of a revision',
  description: 'A tar archive.',
  access: byBuilder,
  concurrency: LONG_READS,
  input: z.object(revision),
  produces: ['application/x-tar'],
})

/** The app is that of the token, so no app can name another's revision. */
export const fetchRevision = operation({
  ...rawGet,
  name: 'apps.fetch-revision',
  path: '/api/deploy/workload/revisions/{revision_id}',
  summary: 'Get all files of a revision of the calling app',
  description: 'A tar archive. Pods of an app fetch their revision with it; a revision of another app is 404.',
  access: { principals: ['workload'], role: null, scope: null, org: 'token' },
  input: z.object({ revision_id: z.string().max(100) }),
  produces: ['application/x-tar'],
})

/** Larger files are compared by digest only. */
export const MAX_COMPARED_BYTES = 256 * 1024

export const FileChange = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'modified']),
  mode: z
    .enum(['executable', 'not_executable'])
    .nullable()
    .describe('What the mode became; null if it stayed, or the file is new and not executable'),
  patch: z.string().nullable().describe('Unified diff; null if the content is the same or is not shown'),
  not_shown: z
    .enum(['binary', 'too_large', 'too_different', 'left_out'])
    .nullable()
    .describe(
      'Why `patch` does not have the change of the content: the file is not UTF-8 text, larger than 256 KiB, has more than 1,000 changed lines, or the answer would be too large. Null if every changed byte is in `patch`',
    ),
})
export type FileChange = z.infer<typeof FileChange>

const base = z
  .string()
  .max(100)
  .optional()
  .describe('Id of the revision to compare with; without it, the one that was created before')

export const diffRevisions = operation({
  ...jsonGet,
  name: 'apps.diff-revisions',
  path: '/api/deploy/deployments/{alias}/revisions/{revision_id}/diff',
  summary: 'Compare two revisions of an app',
  description: 'Renames are shown as a removed and an added file.',
  access: byBuilder,
  concurrency: LONG_READS,
  input: z.object({ ...revision, base }),
  output: z.object({
    base: z.string().nullable().describe('Null for the first revision, whose files are all added'),
    revision: z.string(),
    files: z.array(FileChange),
    truncated: z.boolean().describe('True if patches were left out because the answer would be too large'),
  }),
})
