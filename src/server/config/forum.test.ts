import { describe, expect, it } from 'vitest'
import { readForum } from './forum.ts'
import { EnvironmentReader } from './reader.ts'

function read(networks: string | undefined) {
  const reader = new EnvironmentReader({ SVC_FORUM_ALLOWED_NETWORKS: networks })
  return { settings: readForum(reader), faults: reader.faults }
}

describe('NO-11 the private networks of forums', () => {
  it('are none unless the operator names them', () => {
    expect(read(undefined)).toEqual({ settings: { allowedNetworks: [] }, faults: [] })
    expect(read(' 10.20.0.0/16, fd00:1::/32')).toEqual({
      settings: { allowedNetworks: ['10.20.0.0/16', 'fd00:1::/32'] },
      faults: [],
    })
  })

  it.each(['10.20.0.0', '10.20.0.0/33', 'forum.example.com', 'all'])('%s is not a network', (text) => {
    expect(read(text).faults).toEqual([
      'SVC_FORUM_ALLOWED_NETWORKS must be CIDR blocks such as 10.20.0.0/16, comma-separated',
    ])
  })
})
