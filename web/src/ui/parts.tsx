// Shared components: buttons, cards, fields, badges, notices, and empty states.
import { useId, useState, type ButtonHTMLAttributes, type ReactElement, type ReactNode } from 'react';
import type { Problem } from '../api.ts';
import { Icon, type IconName } from './icons.tsx';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  small?: boolean;
  isRunning?: boolean;
};

export function Button({ look = 'plain', icon, small, isRunning, children, className = '', ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`button ${look} ${small ? 'small' : ''} ${className}`}
      disabled={isRunning || rest.disabled}
      aria-busy={isRunning || undefined}
      {...rest}
    >
      {isRunning ? (
        <span className="spinner" aria-hidden="true" />
      ) : (
        icon && <Icon name={icon} size={small ? 15 : 17} />
      )}
      {children}
    </button>
  );
}

/** For irreversible actions. The first press asks for confirmation, the second confirms, and losing focus cancels. */
export function SureButton({
  sure,
  onSure,
  children,
  ...rest
}: Omit<ButtonProps, 'onClick'> & { sure: string; onSure: () => void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Button
      look={isAsking ? 'danger' : 'quiet'}
      {...rest}
      aria-label={isAsking ? undefined : rest['aria-label']}
      onBlur={() => setAsking(false)}
      onClick={() => {
        setAsking(!isAsking);
        if (isAsking) onSure();
      }}
    >
      {isAsking ? sure : children}
    </Button>
  );
}

export function Card({
  title,
  lead,
  actions,
  children,
  className = '',
  flush,
}: {
  title?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  className?: string;
  flush?: boolean;
}) {
  return (
    <section className={`card ${flush ? 'flush' : ''} ${className}`}>
      {(title || actions) && (
        <header className="card-head">
          <div>
            {title && <h2>{title}</h2>}
            {lead && <p className="lead">{lead}</p>}
          </div>
          {actions && <div className="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export function PageHead({ title, lead, actions }: { title: ReactNode; lead?: ReactNode; actions?: ReactNode }) {
  return (
    <header className="page-head">
      <div>
        <h1>{title}</h1>
        {lead && <p className="lead">{lead}</p>}
      </div>
      {actions && <div className="actions">{actions}</div>}
    </header>
  );
}

/** A labeled control. The control receives the id that its label refers to. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ReactNode;
  error?: string;
  children: (id: string, describedBy: string | undefined) => ReactElement;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  const described = hint || error ? hintId : undefined;
  return (
    <div className={`field ${error ? 'wrong' : ''}`}>
      <label htmlFor={id}>{label}</label>
      {children(id, described)}
      {(error || hint) && (
        <p id={hintId} className={error ? 'error' : 'hint'}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

export function Notice({ tone = 'info', title, children }: { tone?: Tone; title?: string; children?: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={tone === 'bad' || tone === 'warn' ? 'alert' : tone === 'good' ? 'check' : 'info'} />
      <div>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
    </div>
  );
}

/** An API error with its request ID, for support, and a retry button where retrying can help. */
export function ProblemNotice({ problem, onRetry }: { problem: Problem | undefined; onRetry?: () => void }) {
  if (!problem) return null;
  return (
    <Notice tone="bad" title={problem.title}>
      <p>{withCode(problem.detail)}</p>
      {problem.request_id && (
        <p className="fine">
          Request ID <code>{problem.request_id}</code>
        </p>
      )}
      {problem.status === 401 && (
        <Button small onClick={signInAgain}>
          Sign in again
        </Button>
      )}
      {onRetry && problem.retryable !== false && ![401, 404].includes(problem.status) && (
        <Button small onClick={onRetry} icon="refresh">
          Try again
        </Button>
      )}
    </Notice>
  );
}

/** A key that has ended, or a session: a fresh load finds out that nobody is signed in. */
function signInAgain(): void {
  sessionStorage.removeItem('platbook.key');
  window.location.assign('/sign-in');
}

export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h3>{title}</h3>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className="skeleton" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** `isBare` shows only the icon, for table rows where the label would repeat on every line. */
export function Copy({ text, label = 'Copy', isBare = false }: { text: string; label?: string; isBare?: boolean }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_600);
  };
  return (
    <Button
      small
      look="quiet"
      icon={isCopied ? 'check' : 'copy'}
      onClick={() => void copy()}
      {...(isBare && { 'aria-label': isCopied ? 'Copied' : `${label} ${text}`, title: label })}
    >
      {!isBare && (isCopied ? 'Copied' : label)}
    </Button>
  );
}

export function Code({ children, label }: { children: string; label?: string }) {
  return (
    <div className="code">
      <div className="code-head">
        <span>{label}</span>
        <Copy text={children} />
      </div>
      <pre tabIndex={0}>
        <code>{children}</code>
      </pre>
    </div>
  );
}

export function Stat({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd>{value}</dd>
      {note && <dd className="fine">{note}</dd>}
    </div>
  );
}

/** Text of the API, in which names of members stand between backticks. */
export function withCode(text: string): ReactNode[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
