// fast-check with one seed, so that a run that fails can be repeated and a change fails for what it changed. TEST_SEED
// draws other cases: `TEST_SEED=$RANDOM npm test -- billing`.
import fc from 'fast-check';

export const SEED = Number(process.env.TEST_SEED ?? 20_261_119);
fc.configureGlobal({ seed: SEED });

export default fc;
