// Messages to support: to the operator with what the log says, with a copy to the sender.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { testClient } from '../harness.ts';
import { signUpAs } from '../people.ts';

const api = await testClient();
