-- Questions that people ask of two evaluations, `base` and `cand`. They are run by nine.py after the views of `qeval sql`.

SET VARIABLE base = (SELECT evaluation_id FROM evaluations WHERE label = 'base');
SET VARIABLE cand = (SELECT evaluation_id FROM evaluations WHERE label = 'cand');

-- 1. Leaderboard, with how many were scored
SELECT e.label, count(*) AS n, avg(em) AS em, avg(f1) AS f1, avg(ndcg_at_10) AS ndcg, avg(faithfulness) AS faithfulness, count(faithfulness) AS n_faithfulness
FROM scores s JOIN evaluations e USING (evaluation_id) GROUP BY ALL ORDER BY f1 DESC;

-- 2. The twenty worst, with their text
WITH worst AS (SELECT evaluation_id, example_id, f1 FROM scores WHERE evaluation_id = getvariable('cand') AND f1 IS NOT NULL ORDER BY f1, example_id LIMIT 20)
SELECT w.example_id, w.f1, c.question, c.prediction, c.reference FROM worst w JOIN cases c USING (evaluation_id, example_id) ORDER BY w.f1, w.example_id;

-- 3. Two evaluations, paired
SELECT count(*) AS n, avg(c.f1 - b.f1) AS delta, stddev_samp(c.f1 - b.f1) / sqrt(count(*)) AS se,
       count(*) FILTER (c.f1 > b.f1) AS wins, count(*) FILTER (c.f1 < b.f1) AS losses, count(*) FILTER (c.f1 = b.f1) AS ties
FROM scores b JOIN scores c USING (example_id)
WHERE b.evaluation_id = getvariable('base') AND c.evaluation_id = getvariable('cand') AND b.f1 IS NOT NULL AND c.f1 IS NOT NULL;

-- 4. By slice
SELECT evaluation_id, lang, hop, count(f1) AS n, avg(f1) AS f1, stddev_samp(f1) / sqrt(count(f1)) AS se FROM scores GROUP BY ALL ORDER BY ALL;

-- 5. The worst regressions, both answers side by side
WITH d AS (SELECT example_id, b.f1 AS f1_base, c.f1 AS f1_cand FROM scores b JOIN scores c USING (example_id)
           WHERE b.evaluation_id = getvariable('base') AND c.evaluation_id = getvariable('cand') AND c.f1 < b.f1
           ORDER BY c.f1 - b.f1, example_id LIMIT 20)
SELECT d.*, pb.prediction AS base, pc.prediction AS cand, pb.reference
FROM d JOIN cases pb ON pb.example_id = d.example_id AND pb.evaluation_id = getvariable('base')
       JOIN cases pc ON pc.example_id = d.example_id AND pc.evaluation_id = getvariable('cand')
ORDER BY f1_cand - f1_base, d.example_id;

-- 6. Metrics that disagree
SELECT example_id, em, f1, judge_rating, faithfulness FROM scores
WHERE evaluation_id = getvariable('cand') AND em = 0 AND judge_rating >= 0.9 ORDER BY faithfulness DESC NULLS LAST, example_id LIMIT 20;

-- 7. The long form, nulls kept; distribution and unscored per metric
SELECT evaluation_id, metric, count(value) AS n, count(*) - count(value) AS unscored, avg(value) AS mean, quantile_cont(value, [0.05, 0.5, 0.95]) AS q
FROM scores UNPIVOT INCLUDE NULLS (value FOR metric IN (em, f1, rouge_l, ndcg_at_10, mrr_at_10, recall_at_10, p_at_10, context_precision, faithfulness, judge_rating))
GROUP BY ALL ORDER BY ALL;

-- 8. Relevance by rank, from the nested hits
SELECT h.rank, avg(h.relevant::INT) AS p_relevant, count(*) AS n
FROM (SELECT unnest(hits) AS h FROM cases WHERE evaluation_id = getvariable('cand')) GROUP BY ALL ORDER BY ALL;

-- 9. One example
SELECT * FROM scores WHERE evaluation_id = getvariable('cand') AND example_id = 'nq-dev-00654321';
