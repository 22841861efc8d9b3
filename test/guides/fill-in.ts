import type { Scene } from './scene.ts'

type Find = (scene: Scene, app: string, command: string) => Promise<string | undefined>

const first = async (list: Promise<{ items: { id: string }[] }>) => (await list).items[0]?.id

/** Finds an id of each kind for the ids of the guides, which are examples. */
const IDS: Readonly<Record<string, Find>> = {
  tkt: ({ svc }, app) => first(svc('tickets', 'list', app)),
  plr: ({ svc }, app) => first(svc('pipelines', 'runs', app, 'nightly-report')),
  rev: ({ svc }, app) => first(svc('apps', 'revisions', 'list', app)),
  inv: ({ svc }) => first(svc('invitations', 'list')),
  tok: async ({ svc }) => (await svc<{ id: string }>('tokens', 'create', 'to-revoke', '--expires-days', '1')).id,
  ntf: ({ svc }, _, command) =>
    first(command.includes('deliveries') ? svc('notifications', 'deliveries', 'list') : svc('notifications', 'list')),
  chn: ({ svc }) => first(svc('notifications', 'channels', 'list')),
  sub: ({ svc }) => first(svc('notifications', 'subscriptions', 'list')),
}

/** Replaces what a reader replaces: the address of the server, ids, and what the guide puts in angle brackets. */
export async function fillIn(text: string, scene: Scene, lastOutput: string): Promise<string> {
  const { system, owner } = scene
  const app = /\b(?:hello|shop)\b/.exec(text)?.[0] ?? 'shop'
  let command = text
    .replaceAll(/https:\/\/svc\.example\.com|http:\/\/127\.0\.0\.1:8080/g, system.url)
    .replaceAll('svc.example.com', new URL(system.url).host)
    .replaceAll('<org_id>', owner.org_id)
    .replaceAll('<id of the answer above>', /org_\w+/.exec(lastOutput)?.[0] ?? '')
    .replaceAll('<client_id>', /oac_\w+/.exec(lastOutput)?.[0] ?? '')
  for (const [example, kind] of command.matchAll(/\b([a-z]{3})_01\w+/g)) {
    const id = await IDS[kind!]?.(scene, app, command)
    if (id !== undefined) command = command.replaceAll(example, id)
  }
  return command
}
