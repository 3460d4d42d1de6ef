// The list of API keys with their scopes, last use, and status.
import { useState } from 'react';
import { SCOPES } from '../../../../src/customers/accounts/scopes.ts';
import { ago, day } from '../../format.ts';
import { Badge, Button, Card, Empty, PageHead, ProblemNotice, Skeleton, type Tone } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useList } from '../../use-api.ts';
import type { ApiKey, NewApiKey } from '../answers.ts';
import { CreateDialog, Reveal, RevokeDialog, RotateDialog } from './key-dialogs.tsx';

type Doing = { kind: 'create' } | { kind: 'rotate' | 'revoke'; key: ApiKey };

export function KeysSection() {
  const list = useList<ApiKey>('keys?limit=100');
  const [doing, setDoing] = useState<Doing>();
  const [made, setMade] = useState<NewApiKey>();
  const finish = (key?: NewApiKey) => {
    setDoing(undefined);
    if (key) setMade(key);
    list.reload();
  };
  const keys = list.data?.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  return (
    <>
      <PageHead
        title="API keys"
        lead="Give each integration its own key with only the scopes it needs. A key is shown only once, when you create it."
        actions={
          <Button look="primary" icon="plus" onClick={() => setDoing({ kind: 'create' })}>
            Create key
          </Button>
        }
      />
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      <Card flush>
        {!keys && list.isLoading && <Skeleton />}
        {keys?.length === 0 && (
          <Empty icon="key" title="No keys yet">
            Create a sandbox key to get started. Sandbox calls are free.
          </Empty>
        )}
        {keys && keys.length > 0 && (
          <Table
            caption="API keys"
            rows={keys}
            keyOf={({ id }) => id}
            more={list}
            columns={[
              { head: 'Name', cell: (key) => <strong>{key.name}</strong> },
              { head: 'Key', cell: (key) => <code>{`${key.prefix}…${key.last_four}`}</code> },
              {
                head: 'Mode',
                cell: (key) => (
                  <Badge tone={key.mode === 'live' ? 'good' : 'warn'}>{key.mode === 'live' ? 'Live' : 'Sandbox'}</Badge>
                ),
              },
              {
                head: 'Scopes',
                cell: (key) => (
                  <span title={key.scopes.join(', ')}>
                    {key.scopes.length === SCOPES.length ? 'All' : key.scopes.length}
                  </span>
                ),
              },
              { head: 'Last used', cell: (key) => ago(key.last_used_at) },
              { head: 'Status', cell: (key) => <KeyStatus apiKey={key} /> },
              {
                head: <span className="unseen">Actions</span>,
                align: 'right',
                cell: (key) =>
                  stateOf(key)[0] === 'Active' && (
                    <span className="row nowrap end">
                      <Button small onClick={() => setDoing({ kind: 'rotate', key })} aria-label={`Rotate ${key.name}`}>
                        Rotate
                      </Button>
                      <Button
                        small
                        look="quiet"
                        onClick={() => setDoing({ kind: 'revoke', key })}
                        aria-label={`Revoke ${key.name}`}
                      >
                        Revoke
                      </Button>
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Card>
      {doing?.kind === 'create' && <CreateDialog onDone={finish} onClose={() => setDoing(undefined)} />}
      {doing?.kind === 'rotate' && (
        <RotateDialog apiKey={doing.key} onDone={finish} onClose={() => setDoing(undefined)} />
      )}
      {doing?.kind === 'revoke' && (
        <RevokeDialog apiKey={doing.key} onDone={() => finish()} onClose={() => setDoing(undefined)} />
      )}
      {made && <Reveal made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function stateOf(key: ApiKey): [string, Tone] {
  if (key.revoked_at) return ['Revoked', 'bad'];
  if (key.expires_at && new Date(key.expires_at) <= new Date())
    return [key.replaced_by ? 'Replaced' : 'Expired', 'neutral'];
  if (key.replaced_by) return [`Expires ${day(key.expires_at)}`, 'warn'];
  return ['Active', 'good'];
}

function KeyStatus({ apiKey }: { apiKey: ApiKey }) {
  const [text, tone] = stateOf(apiKey);
  return <Badge tone={tone}>{text}</Badge>;
}
