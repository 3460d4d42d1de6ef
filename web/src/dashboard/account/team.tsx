// The account's members and their roles, and pending invitations.
import { useState } from 'react';
import type { Static } from 'typebox';
import type { InvitationShape, MemberPage } from '../../../../src/customers/people/schema.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { ago, day, words } from '../../format.ts';
import { SsoCard } from './sso.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Badge, Button, Card, Field, PageHead, ProblemNotice, Skeleton, SureButton } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useList } from '../../use-api.ts';

type Member = Static<typeof MemberPage>['data'][number];
type Invitation = Static<typeof InvitationShape>;

const ROLES: [role: Member['role'], what: string][] = [
  ['admin', 'full access except closing the account'],
  ['developer', 'keys, webhooks, batches, and data'],
  ['billing', 'plan, card, invoices, and usage'],
  ['viewer', 'read-only access'],
];

export function TeamSection() {
  const call = useCall();
  const say = useToast();
  const { session } = useCaller();
  const members = useList<Member>('/session/members');
  const invitations = useList<Invitation>('/session/invitations');
  const [isInviting, setInviting] = useState(false);
  const act = useAct(async (method: 'PATCH' | 'DELETE', path: string, body?: object) => {
    await call(`/session/${path}`, { method, body });
    members.reload();
    invitations.reload();
  });
  const invite = useAct(async (form: FormData) => {
    await call('/session/invitations', { body: { email: form.get('email'), role: form.get('role') } });
    say('Invitation sent');
    setInviting(false);
    invitations.reload();
  });
  return (
    <>
      <PageHead
        title="Team"
        lead="Each member signs in with their own email and has one role. Their actions appear in the audit log."
        actions={
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite member
          </Button>
        }
      />
      <div className="sections">
        <ProblemNotice problem={act.problem ?? members.problem} />
        <Card flush title="Members">
          {!members.data && <Skeleton />}
          {members.data && (
            <Table
              caption="Members"
              rows={members.data}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: 'Member',
                  wide: true,
                  cell: (row) => (
                    <div>
                      <strong>{row.name}</strong> {row.id === session?.user.id && <Badge>You</Badge>}
                      <p className="fine">{row.email}</p>
                    </div>
                  ),
                },
                {
                  head: 'Role',
                  cell: (row) => (
                    <select
                      aria-label={`Role of ${row.name}`}
                      value={row.role}
                      onChange={(event) => void act.run('PATCH', `members/${row.id}`, { role: event.target.value })}
                    >
                      {['owner', ...ROLES.map(([role]) => role)].map((role) => (
                        <option key={role} value={role}>
                          {words(role)}
                        </option>
                      ))}
                    </select>
                  ),
                },
                {
                  head: 'Two-factor',
                  cell: (row) => (
                    <Badge tone={row.has_two_factor ? 'good' : 'neutral'}>{row.has_two_factor ? 'On' : 'Off'}</Badge>
                  ),
                },
                { head: 'Joined', cell: (row) => day(row.created_at) },
                {
                  head: <span className="unseen">Actions</span>,
                  align: 'right',
                  // An account needs at least one member, so the last one can't leave.
                  cell: (row) =>
                    members.data!.length > 1 && (
                      <SureButton
                        small
                        sure={row.id === session?.user.id ? 'Confirm leave' : 'Confirm removal'}
                        aria-label={row.id === session?.user.id ? 'Leave account' : `Remove ${row.name}`}
                        onSure={() => void act.run('DELETE', `members/${row.id}`)}
                      >
                        {row.id === session?.user.id ? 'Leave' : 'Remove'}
                      </SureButton>
                    ),
                },
              ]}
            />
          )}
        </Card>
        {invitations.data && invitations.data.length > 0 && (
          <Card flush title="Pending invitations">
            <Table
              caption="Pending invitations"
              rows={invitations.data}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Email', wide: true, cell: (row) => row.email },
                { head: 'Role', cell: (row) => words(row.role) },
                { head: 'Sent', cell: (row) => ago(row.created_at) },
                { head: 'Expires', cell: (row) => day(row.expires_at) },
                {
                  head: <span className="unseen">Actions</span>,
                  align: 'right',
                  cell: (row) => (
                    <Button
                      small
                      look="quiet"
                      aria-label={`Revoke invitation for ${row.email}`}
                      onClick={() => void act.run('DELETE', `invitations/${row.id}`)}
                    >
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
          </Card>
        )}
        {session?.role === 'owner' && session.account.plan === 'enterprise' && <SsoCard />}
      </div>
      {isInviting && (
        <FormDialog
          title="Invite member"
          submit="Send invitation"
          isRunning={invite.isRunning}
          problem={invite.problem}
          onSubmit={(form) => void invite.run(form)}
          onClose={() => setInviting(false)}
        >
          <Field label="Email">{(id) => <input id={id} name="email" type="email" required />}</Field>
          <Field label="Role">
            {(id) => (
              <select id={id} name="role" defaultValue="developer">
                {ROLES.map(([role, what]) => (
                  <option key={role} value={role}>
                    {words(role)}: {what}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </FormDialog>
      )}
    </>
  );
}
