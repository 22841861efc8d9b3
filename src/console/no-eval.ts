import { z } from 'zod'

// Zod tries `eval`, which a strict content security policy forbids, as soon as a schema is made: so this comes first.
z.config({ jitless: true })
