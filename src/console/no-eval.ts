import { z } from 'zod'

// Must be imported first: Zod tries `eval` when a schema is created, which the content security policy forbids.
z.config({ jitless: true })
