import { z } from 'zod'
import { jsonGet, rawGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

const CLIENT_PATH = '/client.tgz'

/** The command that installs the client of the instance at this address. */
export const installCommand = (baseUrl: string) => `npm install -g ${baseUrl}${CLIENT_PATH}`

export const clientPackage = operation({
  ...rawGet,
  access: 'public',
  name: 'client.package',
  path: CLIENT_PATH,
  summary: 'Download the command-line client of this version, as a package for npm',
  errors: ['FORBIDDEN', 'UNAVAILABLE'],
  produces: ['application/gzip'],
})

export const clientRelease = operation({
  ...rawGet,
  access: 'public',
  name: 'client.release',
  path: '/client/{file}',
  summary: 'Download the client as `svc-client-<version>.tgz`, at an address that has one version only',
  description:
    'Or as one executable file that needs no Node, as `linux-x64` or `linux-arm64`, where the operator put it beside the server.',
  input: z.object({ file: z.string().max(100) }),
  errors: ['FORBIDDEN', 'NOT_FOUND', 'UNAVAILABLE'],
  produces: ['application/gzip', 'application/octet-stream'],
})

/** Systems for which a release has the client as one executable file. */
export const EXECUTABLE_TARGETS = ['linux-x64', 'linux-arm64'] as const
export type ExecutableTarget = (typeof EXECUTABLE_TARGETS)[number]

export const Instance = z.object({
  version: z.string().describe('Version of this instance'),
  base_url: z.string().describe('Address that people and clients use'),
  client: z
    .object({
      version: z.string().describe('Version of the client, which is that of the instance'),
      url: z.string().describe('Address of the client of the version that runs now'),
      versioned_url: z.string().describe('Address that has this version only'),
      digest: z.string().describe('`sha256:` and the lower-case hex digest of the bytes at both addresses'),
      size_bytes: z.number().int(),
      install: z.string().describe('Command that installs it with npm'),
      executables: z
        .array(
          z.object({
            target: z.enum(EXECUTABLE_TARGETS),
            url: z.string(),
            digest: z.string(),
            size_bytes: z.number().int(),
          }),
        )
        .describe('The client as one file that needs no Node, for the systems for which the instance has it'),
    })
    .nullable()
    .describe('The command-line client. Null where it is not served, because the instance has no https address'),
})
export type Instance = z.infer<typeof Instance>

export const describeInstance = operation({
  ...jsonGet,
  access: 'public',
  name: 'client.describe-instance',
  path: '/.well-known/svc.json',
  summary: 'Describe this instance and the client that it serves, with the digest of its bytes',
  output: Instance,
  errors: ['UNAVAILABLE'],
})
