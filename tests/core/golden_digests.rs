//! Golden files are replaced only together with a version of their payloads: this list says which files those are.

use crate::project::project;

/// Names and blake3 digests of all files of `tests/golden`, in the order of their names.
const DIGESTS: &[(&str, &str)] = &[
    ("additive.csv", "c79a1440811607e35c04e2d8b572a8cb36627802dda69c9241bd7cc6423624e8"),
    ("additive.posepress", "9c0cad497409734e6261106a717311ce5ff3dee6a962b5b55508702310309ae6"),
    ("blocks.csv", "ace117a17e385d76ea511bc45cf4bd4107be4a7dd9f276f7641d008e23ba2b8d"),
    ("blocks.posepress", "86187bb262c206ccbca091786e1836d93c1ff605ac1afa9126b090e8b9e7b17a"),
    ("compensation-together.csv", "afb70167ef14b8f9931e6c102e225533d786bb799bead1a5b11cc6ce6acb3dc7"),
    ("compensation-together.posepress", "e588ed96cc1ce54cd22ee21a5963e0f0293de9485a848c14e086e7eea3a155c9"),
    ("compensation.csv", "57a6065e8d51f702448aa0b5c028a6c09a031e4b80cff41c02a0b545421c535e"),
    ("compensation.posepress", "9e533244b51f822bbf1f7e9264fd830967cae1ae69388feeb45bf926f66938aa"),
    ("curves.csv", "7adaace41873346e09dc8b791f62b553acde3c6ef60da10c66fd7359314a123a"),
    ("curves.posepress", "ce403f2d11c02100cfbb25e8740a63394c36210cf3b6c55bb56ee1b4d1dbf1cf"),
    ("float-tracks.csv", "9cc8324fb67b5a0a4872d44424ceb5b8d7c0fe6531ce5c950b37d1e3fe38a8aa"),
    ("float-tracks.posepress", "18b408f11605c7f881905617afdba941f1354c4867a1a09695ddedb8bb6c8589"),
    ("groups.csv", "6417050357f11f570ca21caa4aedfab633e86355437916b4a7f5240927ea4a63"),
    ("groups.posepress", "a40125bd44bab7bc805403bd9743dbc327852900d86d6d94de6406edad85142d"),
    ("key-reduction.csv", "817f50b6489b7449ce9c8411a607e1f8f19f8c63506e40a24e3737939173930f"),
    ("key-reduction.posepress", "230e296cb8bb5e0cacd9ce02619fdde6e40c0196305a88fc13194742b3ee4ce4"),
    ("layouts.csv", "e223527f1685e4ecace6ae17d675debdc287abda3d2442230286808ffd971f69"),
    ("layouts.posepress", "a9e5760633809f831966a5f95f5fe11b6ab77a2900e7e0ee507b75b6a682b778"),
    ("loops.csv", "b9afda0f03ad017edc3561bb3a1a8e441f0d024882f952dc05ce978691f02046"),
    ("loops.posepress", "c716699437c24afa90b724ca923aff48ceb77146014c70b6d572cff80a744d7f"),
    ("press-archive-whole.csv", "b0c646d7280207caf234bfdbe7319df1824be5ebc89b7cd602b6fafbcdc64260"),
    ("press-archive-whole.posepress", "848b67dd4d20cbef1681f5d1d77bc5d9bba849aa864d7ee3c911e5620e01ef78"),
    ("press-archive.csv", "b0c646d7280207caf234bfdbe7319df1824be5ebc89b7cd602b6fafbcdc64260"),
    ("press-archive.posepress", "cec5d21a7ebfa7a265b4698302f0f9355cea56460505e6f40daa86e38774e43a"),
    ("press.csv", "7dbd9c6966bbc186ef333712c9d824792e05cc517e94fad645cd8d01982796e4"),
    ("press.posepress", "c7278e73ba0488c07d1fcae86d313397a99be373bba1306b5f18ece3403075fc"),
    ("ranged-tracks.csv", "3f389beca55bcaa160cd75f4ff8cb1c43aa21409bff942924422032b17d38c9c"),
    ("ranged-tracks.posepress", "24c26b11628e0a5b368876ffa0027f034667c8666ea763c20e277c9e7422324d"),
    ("ranged.csv", "4e4a6f042d025acf0bf4f3c7eb089b08f79db9f06ba832e3bb36e3ee292448b1"),
    ("ranged.posepress", "644917f9adeca4cad3b825714ec228ff43b6eef3d3879650bebb21fc7f541256"),
    ("steps.csv", "2ea8a87414173568365589409b6018f2383dca737912782da71848d8c87ba2da"),
    ("steps.posepress", "11057ed1ab1206bac9bae3a8337f8961002f5faf17fa21fa7049890bce7f54a3"),
    ("tiers.low.posepress-tier", "e78aa2d04235b9ba43cff3707b62e39e3a6822485e73c2a61fd50ccaa9379f82"),
    ("tiers.medium.posepress-tier", "044c50d7133298950bdbf582913db2b2f51d468624f21745e748b94c19478414"),
    ("tiers.posepress", "789928b28dbe72a0f77c2a27926cee5b7a79206a33b87a2cc591e90e03375e31"),
    ("variable-rate.csv", "229655352d93da89a6c0d5e19e9b88a5c328cb601f79fd22a238023d995065a5"),
    ("variable-rate.posepress", "6bac25e8765ffea4615fe8234cfaf58e0d30bb51dd5f9b69cedc4917dbba8dc8"),
    ("version1.csv", "6fbb94559ead317ccbb9fcce4a23b64160b48703da7517dd0f2dffc4f4fca35f"),
    ("version1.posepress", "475544978a3505bfd53ac82746836e9368506dc087064a7f4ed5f526730f29dc"),
    ("wavelet-axes.csv", "ad1ab5b3f6c8a8d72fcdc879194c40db69af61352a68cfbcf4a4f73edf4c1233"),
    ("wavelet-axes.posepress", "bf18e3d2e9fbf45f41a31b77856e039d2801959d479a9be3167170c809133055"),
    ("wavelet.csv", "fd2f7504e75e51bd6310f9b9f8e958297be977c2b968af3adaf3ffe4add51473"),
    ("wavelet.posepress", "1675963fc8d26490d5713b8626a208e64be6017e4001e8907eff22cba63a03ac"),
];

#[test]
fn golden_files_are_those_of_the_list() {
    let folder = std::fs::read_dir(project("tests/golden")).unwrap();
    let mut found: Vec<(String, String)> = folder
        .map(|entry| {
            let path = entry.unwrap().path();
            let digest = blake3::hash(&std::fs::read(&path).unwrap()).to_hex().to_string();
            (path.file_name().unwrap().to_string_lossy().into_owned(), digest)
        })
        .collect();
    found.sort();
    let found: Vec<(&str, &str)> = found.iter().map(|(name, digest)| (name.as_str(), digest.as_str())).collect();
    assert_eq!(found, DIGESTS, "a golden file changed without its line here");
}
