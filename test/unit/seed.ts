import fc from 'fast-check';

// The same cases in every run, so that a failure is a change's; another seed looks for new ones.
fc.configureGlobal({ seed: Number(process.env['TASKWRIGHT_TEST_SEED'] ?? 4) });
