// Adds a card through Stripe's form, or a test card where Stripe is not configured.
import { useEffect, useRef, useState } from 'react';
import { useCall } from '../../caller.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Notice, Skeleton } from '../../ui/parts.tsx';
import { useToast } from '../../ui/toast.tsx';
import { problemOf, useAct } from '../../use-api.ts';
import { ApiProblem, type Problem } from '../../api.ts';
import type { Billing } from '../answers.ts';

interface CardSetup {
  provider: 'stripe' | 'manual';
  client_secret: string | null;
  publishable_key: string | null;
}

/** The part of Stripe.js we use. Card numbers go from its iframe to Stripe and never reach our servers. */
interface StripeJs {
  elements(): { create(kind: 'card'): StripeCard };
  confirmCardSetup(
    secret: string,
    data: { payment_method: { card: StripeCard } },
  ): Promise<{ error?: { message: string }; setupIntent?: { id: string } }>;
}
interface StripeCard {
  mount(element: HTMLElement): void;
  destroy(): void;
}

export function CardDialog({
  billing,
  onDone,
  onClose,
}: {
  billing: Billing;
  onDone: () => void;
  onClose: () => void;
}) {
  const call = useCall();
  const say = useToast();
  const stripe = useStripe(billing.provider === 'stripe');
  const act = useAct(async () => {
    const token = stripe.confirm ? await stripe.confirm() : 'tok_test_visa';
    const { started_trial: hasStarted } = await call<{ started_trial: boolean }>('/session/billing/card', {
      body: { token },
    });
    say(hasStarted ? 'Card saved. Your trial has started.' : 'Card saved');
    onDone();
  });
  return (
    <FormDialog
      title="Card"
      submit="Save card"
      isRunning={act.isRunning}
      problem={act.problem ?? stripe.problem}
      onSubmit={() => void act.run()}
      onClose={onClose}
    >
      {billing.provider === 'manual' ? (
        <Notice title="Test card">
          This server has no payment processor, so a test card will be saved. Invoices are paid by bank transfer.
        </Notice>
      ) : (
        <>
          {!stripe.confirm && !stripe.problem && <Skeleton lines={2} />}
          <div ref={stripe.place} className="stripe-card" />
          <p className="fine">Your card number goes directly to Stripe. We only see the last four digits.</p>
        </>
      )}
    </FormDialog>
  );
}

function useStripe(isWanted: boolean) {
  const call = useCall();
  const place = useRef<HTMLDivElement>(null);
  const [confirm, setConfirm] = useState<() => Promise<string>>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    if (!isWanted) return undefined;
    let card: StripeCard | undefined;
    const begin = async () => {
      const setup = await call<CardSetup>('/session/billing/card-setup', { method: 'POST' });
      await loadStripe();
      const stripe = (window as unknown as { Stripe(key: string): StripeJs }).Stripe(setup.publishable_key!);
      card = stripe.elements().create('card');
      card.mount(place.current!);
      setConfirm(() => async () => {
        const { error, setupIntent } = await stripe.confirmCardSetup(setup.client_secret!, {
          payment_method: { card: card! },
        });
        if (error || !setupIntent) {
          const detail = error?.message ?? 'The card couldn’t be confirmed.';
          throw new ApiProblem({ status: 402, code: 'card_refused', title: 'Card declined', detail });
        }
        return setupIntent.id;
      });
    };
    begin().catch((error: unknown) => setProblem(problemOf(error)));
    return () => card?.destroy();
  }, [isWanted, call]);
  return { place, confirm, problem };
}

function loadStripe(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = 'https://js.stripe.com/v3/';
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error('Stripe’s card form couldn’t be loaded.')));
    document.head.append(script);
  });
}
